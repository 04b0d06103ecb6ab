/** Scripts that are written without spaces between words: each character is found by itself. */
const spaceless = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]`
const wordPattern = new RegExp(String.raw`${spaceless}|(?:(?!${spaceless})[\p{L}\p{N}])+`, 'gu')

/** Letters that Unicode does not take apart into a base and a mark. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ŧ: 't',
}

/** Maximum length of a word, characters, and number of words of a text. */
const [maxLength, maxWords] = [48, 200]

/**
 * Splits a text into the words it is found by, each once: without case, accents and punctuation, so that `Beyoncé – Déjà-Vu`
 * gives `beyonce`, `deja`, `vu`.
 */
export function searchWords(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþıŧ]/g, (letter) => plainLetters[letter] ?? letter)
  const words = folded.match(wordPattern) ?? []
  return [...new Set(words.map((word) => word.slice(0, maxLength)))].slice(0, maxWords)
}

/** First letter of the words that stand for a whole tag. */
const tagMark = 'ŧ'

/** The one word that stands for a whole tag, beside the words by which the tag is found. */
export function tagWord(tag: string): string {
  const plain = tag.replaceAll(
    /[^\p{L}\p{N}]|ŧ/gu,
    (sign) => `${tagMark}${sign.codePointAt(0)?.toString(16)}${tagMark}`,
  )
  return `${tagMark}${plain}`
}

/** The words of a job's tags: those they are found by, and one for each. */
export const wordsOfTags = (tags: readonly string[]): string[] => [...searchWords(tags.join(' ')), ...tags.map(tagWord)]
