//! Harbor's old way to write sizes, such as `memory = "2G"`. Pure.

/// Reads a size with suffix `G`, `M` or `K` as whole mebibytes, rounded up, so that a small size never becomes 0.
pub(crate) fn size_mb(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_uppercase();
    let (number, factor) = match text.chars().last()? {
        'G' => (&text[..text.len() - 1], 1024.0),
        'M' => (&text[..text.len() - 1], 1.0),
        'K' => (&text[..text.len() - 1], 1.0 / 1024.0),
        _ => return None,
    };
    let size = number.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0)? * factor;
    Some(size.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_sizes_are_read_as_mebibytes() {
        for (text, wanted) in [("2G", Some(2048)), ("1.5g", Some(1536)), ("512M", Some(512)), ("2048K", Some(2))] {
            assert_eq!(size_mb(text), wanted, "{text}");
        }
        for text in ["", "G", "2", "2T", "-1G", "two G", "日"] {
            assert_eq!(size_mb(text), None, "{text}");
        }
    }
}
