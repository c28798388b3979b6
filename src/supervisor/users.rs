//! Who a command runs as: `name`, `uid`, `name:group` or `uid:gid`, read from the image's own `/etc/passwd` and
//! `/etc/group` with Docker's rules (a number needs no entry; no group given means the entry's, else 0).

/// Ids and home of a user.
#[derive(Debug, PartialEq, Eq)]
pub struct User {
    pub uid: u32,
    pub gid: u32,
    pub groups: Vec<u32>,
    pub home: String,
}

/// Finds the user in the image's files.
pub fn find(user: &str) -> Result<User, String> {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    find_in(user, &read("/etc/passwd"), &read("/etc/group"))
}

fn find_in(user: &str, passwd: &str, group: &str) -> Result<User, String> {
    let (name, group_name) = match user.split_once(':') {
        Some((name, group_name)) => (name, Some(group_name)),
        None => (user, None),
    };
    let name = if name.is_empty() { "0" } else { name };
    let number = name.parse::<u32>().ok();
    let entry = passwd.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| {
        fields.len() >= 6 && (fields[0] == name || (number.is_some() && fields[2].parse().ok() == number))
    });
    let uid = match (&entry, number) {
        (Some(fields), _) => fields[2].parse().map_err(|_| format!("user `{name}` has no number in /etc/passwd"))?,
        (None, Some(number)) => number,
        (None, None) => return Err(format!("user `{name}` is not in the image's /etc/passwd")),
    };
    let gid = match group_name {
        Some(g) => group_id(g, group)?,
        None => entry.as_ref().and_then(|fields| fields[3].parse().ok()).unwrap_or(0),
    };
    let login = entry.as_ref().map_or(name, |fields| fields[0]);
    let member = |line: &&str| line.split(':').nth(3).is_some_and(|m| m.split(',').any(|m| m == login));
    let mut groups: Vec<u32> =
        group.lines().filter(member).filter_map(|line| line.split(':').nth(2)?.parse().ok()).collect();
    groups.insert(0, gid);
    let home = entry.as_ref().map_or("/", |fields| fields[5]).to_owned();
    Ok(User { uid, gid, groups, home })
}

fn group_id(name: &str, group: &str) -> Result<u32, String> {
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    group
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.len() >= 3 && fields[0] == name)
        .and_then(|fields| fields[2].parse().ok())
        .ok_or_else(|| format!("group `{name}` is not in the image's /etc/group"))
}
