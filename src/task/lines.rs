//! Which lines one text has of another, for edits that leave the others alone and for showing what changed. Pure.

/// For each line of `new`, which line of `old` it is: the longest row of lines that both have in the same order. `None`
/// where the line is new.
pub fn kept_lines(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let between = between(&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let between = between.into_iter().map(|at| at.map(|at| head + at));
    (0..head).map(Some).chain(between).chain((old.len() - tail..old.len()).map(Some)).collect()
}

/// The same for what lies between the beginning and the end that both have.
fn between(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let width = new.len() + 1;
    // At (i, j), how many lines `old` from i on and `new` from j on have in common.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            common[i * width + j] = match a == b {
                true => common[(i + 1) * width + j + 1] + 1,
                false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
            };
        }
    }
    let mut kept = vec![None; new.len()];
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            kept[j] = Some(i);
            (i, j) = (i + 1, j + 1);
        } else if common[(i + 1) * width + j] >= common[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_both_have_in_order_are_found() {
        for (old, new, wanted) in [
            ("a b c", "a b c", vec![Some(0), Some(1), Some(2)]),
            ("", "a", vec![None]),
            ("a", "", vec![]),
            ("a x b y c", "a X b Y c", vec![Some(0), None, Some(2), None, Some(4)]),
            ("a b c d", "a d", vec![Some(0), Some(3)]),
            ("a d", "a b c d", vec![Some(0), None, None, Some(1)]),
            ("p a b q", "r a b s a", vec![None, Some(1), Some(2), None, None]),
            ("a a", "a a a", vec![Some(0), Some(1), None]),
        ] {
            let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
            assert_eq!(kept_lines(&words(old), &words(new)), wanted, "{old:?} {new:?}");
        }
    }
}
