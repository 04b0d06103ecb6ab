const removed = '[removed]'

/** What must not be in a report, with what stands for it. The order counts: whole lines first, then parts of them. */
const rules: readonly (readonly [RegExp, string])[] = [
  // Headers and cookies, to the end of their line.
  [/\b((?:set-)?cookie|(?:proxy-)?authorization|x-[\w-]*(?:token|key|auth))(["']?\s*[:=]\s*).*/gi, `$1$2${removed}`],
  // What follows the path of an address, and the name and password before its host.
  [/(\bhttps?:\/\/)[^\s/@"']+@/gi, '$1'],
  [/(\bhttps?:\/\/[^\s?#"']+)[?#][^\s"']*/gi, '$1'],
  [
    /\b([\w-]*(?:token|secret|session|sid|sig|signature|passw(?:or)?d|passphrase|api[_-]?key|credential|visitor[_-]?data))(["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi,
    `$1$2${removed}`,
  ],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '[e-mail]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, '[address]'],
  [/(?<![\w:.])(?:[\da-f]{0,4}:){3,7}[\da-f]{0,4}(?![\w:])/gi, '[address]'],
  [/(?<![\w:/.])(?:\/|~\/)(?:[^\s/"'<>:]+\/)+[^\s/"'<>:,;)]*/g, '[path]'],
  // Long texts that are no words: keys, signatures, parts of addresses that open a file.
  [/(?=[\w+=~-]*\d)[\w+=~-]{32,}/g, removed],
]

/** Removes from the output of a tool what nobody else should read: credentials, queries, addresses, paths, long keys. */
export const redact = (text: string): string =>
  rules.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), text)
