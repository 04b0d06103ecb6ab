/** A text of the service made fit for a log: one short line without the key. */
export function cleanText(text: string, key: string): string {
  const withoutKey = key === '' ? text : text.replaceAll(key, '[key]')
  return withoutKey
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
