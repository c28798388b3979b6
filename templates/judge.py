"""Judges one answer and writes the reward, under Harbor's verifier contract. Python's standard library only.

Reads the answer (/app/answer.txt), the question and its key (case.json beside this file) and writes one number to
/logs/verifier/reward.txt. Without a model the rules below decide. With JUDGE_MODEL (or JUDGE_MODELS, separated by
commas: the mean of their scores) and OPENAI_API_KEY, models decide by rubric.txt, asked at OPENAI_BASE_URL.

A missing or unusable answer is 0.0. A judge that fails writes no reward at all: that must not look like a wrong
answer. SEATRIAL_ANSWER, SEATRIAL_CASE, SEATRIAL_RUBRIC and SEATRIAL_REWARD name other files, for use out of a container.
"""

import json
import os
import re
import stat
import sys
import time
import unicodedata
import urllib.error
import urllib.request
from decimal import Decimal, InvalidOperation

HERE = os.path.dirname(os.path.abspath(__file__))
ANSWER_CAP = 1 << 20
PROMPT_CAP = 20_000


def main():
    reward_path = os.environ.get("SEATRIAL_REWARD", "/logs/verifier/reward.txt")
    if os.path.lexists(reward_path):
        os.remove(reward_path)
    with open(os.environ.get("SEATRIAL_CASE", os.path.join(HERE, "case.json")), encoding="utf-8") as file:
        case = json.load(file)
    answer, trouble = read_answer(os.environ.get("SEATRIAL_ANSWER", "/app/answer.txt"))
    models = [m.strip() for m in os.environ.get("JUDGE_MODELS", os.environ.get("JUDGE_MODEL", "")).split(",")]
    models = [m for m in models if m]
    if answer is None:
        score, reason = 0.0, trouble
    elif models and os.environ.get("OPENAI_API_KEY"):
        with open(os.environ.get("SEATRIAL_RUBRIC", os.path.join(HERE, "rubric.txt")), encoding="utf-8") as file:
            prompt = fill(file.read(), {**case, "submission": shorten(answer)})
        scores = [ask(model, prompt) for model in models]
        score, reason = sum(scores) / len(scores), "judged by " + ", ".join(models)
    else:
        score, reason = by_rules(case["ground_truth"], answer)
    print(f"{score}: {reason}")
    temporary = reward_path + ".tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(f"{score}\n")
    os.replace(temporary, reward_path)


def read_answer(path):
    """The answer's text, or None and why there is none. Never follows a link, never waits on a pipe."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None, "no answer was left"
    except OSError as error:
        return None, f"the answer can't be opened: {error.strerror}"
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None, "the answer is not a regular file"
        raw = file.read(ANSWER_CAP + 1)
    if len(raw) > ANSWER_CAP:
        return None, "the answer is larger than 1 MiB"
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n"), None
    except UnicodeDecodeError:
        return None, "the answer is not UTF-8 text"


# Rules


def by_rules(key, answer):
    """A score and its reason, by value for numbers and by whole words for the rest."""
    stated = final_span(answer)
    span = normalise(stated)
    wanted = normalise(key)
    if not span:
        return 0.0, "the answer is empty"
    if span == wanted:
        return 1.0, "the answer is the key"
    if re.match(r"(i'm )?(sorry[,.]? )?(but )?(i )?(cannot|can't|can not|won't|am unable to) (help|assist|answer|do)\b", span):
        return 0.5, "the answer declines to try"
    number = key_number(wanted)
    if number is not None:
        return by_value(number, wanted, span)
    found = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", span)
    if not found:
        return 0.0, "the key is not in the answer"
    before, after = span[: found.start()], span[found.end() :]
    if re.search(r"(\bnot|n't|\brather than|\binstead of)( be)?\W*$", before):
        return 0.0, "the answer denies the key"
    if re.search(r"(\bor|/)\W*$", before) or re.match(r"\W*(or\b|/)", after) or beside_a_name(key, stated):
        return 0.0, "the answer names several candidates"
    return 1.0, "the answer names the key"


def beside_a_name(key, stated):
    """Whether the key stands in a list with another name, as in 'Ann Sorrel, Bo Marsh' or 'Ann Sorrel and Bo Marsh'."""
    name = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)+"
    between = r"(?:, (?:and |or )?| and | or |; ?| ?/ ?| & |\n)"
    key = f"(?i:{re.escape(key)})"
    return re.search(f"{name}{between}{key}|{key}{between}{name}", stated) is not None


def by_value(number, wanted, span):
    if not currencies(span) <= currencies(wanted) | {"$"}:
        return 0.0, "another currency"
    values = set(numbers(span))
    tolerance = Decimal("0.005") if "." in wanted else Decimal(0)
    if values and all(abs(value - number) <= tolerance for value in values):
        return 1.0, "the number is the key's"
    return 0.0, "no number" if not values else "another number, or several"


def currencies(text):
    signs = {"€": "€", "eur": "€", "euro": "€", "euros": "€", "£": "£", "gbp": "£", "¥": "¥", "$": "$", "usd": "$"}
    return {signs[found] for found in re.findall(r"[$€£¥]|\b(?:eur|euros?|gbp|usd)\b", text)}


def final_span(answer):
    """The part of the answer that states it: what follows the last 'answer:', a short text whole, else the last line."""
    marked = re.findall(r"\banswer\b\W*?(?:\bis\b)?\W*?[:=][ \t*_]*\n?(.+)", answer, re.IGNORECASE)
    if marked:
        return marked[-1]
    lines = [line for line in answer.splitlines() if line.strip()]
    return "\n".join(lines) if len(lines) <= 3 else lines[-1]


def normalise(text):
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub("[\u200b-\u200d\u2060\ufeff]", "", text)
    text = text.translate({ord(c): "-" for c in "‐‑‒–—−"} | {ord(c): "'" for c in "‘’`"} | {ord(c): '"' for c in "“”"})
    text = re.sub(r"[*_\"]+", "", text)
    return re.sub(r"\s+", " ", text).strip(" .!'")


NUMBER = r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
).split()


def key_number(wanted):
    """The value of a key such as '14', '$1,234.50' or '18 records'; None for any other text."""
    found = re.fullmatch(rf"[$€£¥]? ?({NUMBER})( [a-z]+)?", wanted)
    return to_decimal(found[1]) if found else None


def numbers(span):
    for found in re.finditer(rf"(?<![\w.,-])({NUMBER})(?![\w%]|[.,-]\d)", span):
        yield to_decimal(found[1])
    for word in re.findall(r"(?<![\w-])[a-z]+(?![\w-])", span):
        if word in WORDS:
            yield Decimal(WORDS.index(word))


def to_decimal(text):
    try:
        return Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None


# Models


def fill(rubric, values):
    """Fills the three placeholders in one pass: braces in the texts, and all other braces, stay as they are."""
    names = {"input", "ground_truth", "submission"}
    return re.sub(r"\{(\w+)\}", lambda m: str(values[m[1]]) if m[1] in names else m[0], rubric)


def shorten(text):
    if len(text) <= PROMPT_CAP:
        return text
    half = PROMPT_CAP // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def ask(model, prompt):
    """One model's score. Raises when it can't be had; that ends the program without a reward."""
    base = os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
    request = urllib.request.Request(
        base.rstrip("/") + "/chat/completions",
        data=json.dumps({"model": model, "messages": [{"role": "user", "content": prompt}]}).encode(),
        headers={"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    for wait in (1, 4, None):
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return read_score(model, json.load(response))
        except urllib.error.HTTPError as error:
            if wait is None or (error.code != 429 and error.code < 500):
                raise JudgeFailed(f"{model}: HTTP {error.code}") from None
        except OSError as error:
            if wait is None:
                raise JudgeFailed(f"{model}: {error}") from None
        time.sleep(wait)


def read_score(model, reply):
    """Takes 0, 0.5 or 1 and nothing else: a number fished out of a sentence may be anything."""
    try:
        choice = reply["choices"][0]
        text = choice["message"]["content"].strip().strip("`*\"' \n")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise JudgeFailed(f"{model}: a reply without a text") from None
    if choice.get("finish_reason") == "length" or not re.fullmatch(r"0(\.0+)?|0?\.50*|1(\.0+)?", text):
        raise JudgeFailed(f"{model}: no score in {text[:80]!r}")
    return float(text)


class JudgeFailed(Exception):
    """No score could be had; says nothing about the answer."""


if __name__ == "__main__":
    try:
        main()
    except (JudgeFailed, OSError, ValueError, KeyError) as error:
        sys.exit(f"no reward written: {error!r}")
