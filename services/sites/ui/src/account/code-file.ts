/** The text of a file with recovery codes: what they are for, and one a line. */
export function codeFile(codes: readonly string[], whose: { username: string; service: string }): string {
  return [
    `Recovery codes of ${whose.username} at Hearth Sites, ${whose.service}`,
    'Each signs in once, in place of password and passkey.',
    '',
    ...codes,
    '',
  ].join('\n')
}

/** Has the browser save a text as a file. */
export function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
