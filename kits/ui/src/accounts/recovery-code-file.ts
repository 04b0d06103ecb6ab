/** The account that recovery codes belong to. */
export interface CodeOwner {
  readonly username: string
  /** Name of the service, such as `Sites`. */
  readonly service: string
  readonly address: string
}

/** Returns the text of a file with recovery codes: their purpose, and one code per line. */
export function codeFile(codes: readonly string[], { username, service, address }: CodeOwner): string {
  return [
    `Recovery codes of ${username} at Hearth ${service}, ${address}`,
    'Each signs in once, in place of password and passkey.',
    '',
    ...codes,
    '',
  ].join('\n')
}
