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
