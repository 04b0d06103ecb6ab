const removed = '[removed]'

type Rule = readonly [pattern: RegExp, replacement: string | ((text: string) => string)]

/**
 * What must not be in a report, with what stands for it. The order counts: whole lines first, then parts of them. The output may
 * be anything, so no pattern begins with a repetition without a bound: its time would grow with the square of the length.
 */
const rules: readonly Rule[] = [
  // Headers and cookies, to the end of their line.
  [
    /\b((?:set-)?cookie|(?:proxy-)?authorization|x-[\w-]{0,64}(?:token|key|auth))(["']?\s{0,32}[:=]\s{0,32}).*/gi,
    `$1$2${removed}`,
  ],
  // The name and password before the host of an address, and what follows its path.
  [/(\bhttps?:\/\/)[^\s/@"']+@/gi, '$1'],
  [/\bhttps?:\/\/[^\s"']+/gi, (address) => address.replace(/[?#].*$/, '')],
  [
    /(token|secret|session|sid|sig|signature|passw(?:or)?d|passphrase|api[_-]?key|credential|visitor[_-]?data)(["']?\s{0,32}[=:]\s{0,32}["']?)[^\s"'&,;}]+/gi,
    `$1$2${removed}`,
  ],
  [/[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g, '[e-mail]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, '[address]'],
  [/(?<![\w:.])(?:[\da-f]{0,4}:){3,7}[\da-f]{0,4}(?![\w:])/gi, '[address]'],
  // The same in a part of an address.
  [/(?:[\da-f]{0,4}%(?:25)?3A){2,7}[\da-f]{0,4}/gi, '[address]'],
  [/(?<![\w:/.])(?:\/|~\/)(?:[^\s/"'<>:]+\/)+[^\s/"'<>:,;)]*/g, '[path]'],
  // Long texts that are no words: keys, signatures, parts of addresses that open a file.
  [/[\w+=~-]{32,}/g, (text) => (/\d/.test(text) ? removed : text)],
]

/** Removes from the output of a tool what nobody else should read: credentials, queries, addresses, paths, long keys. */
export const redact = (text: string): string => rules.reduce(apply, text)

const apply = (text: string, [pattern, replacement]: Rule): string =>
  typeof replacement === 'string' ? text.replaceAll(pattern, replacement) : text.replaceAll(pattern, replacement)
