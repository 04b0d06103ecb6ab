/** A rule for new passwords and whether a text keeps it. */
export interface PasswordRule {
  readonly text: string
  readonly isKept: boolean
}

/**
 * Requirements of a new password, as far as a page can say it while somebody types. The server knows more, such as the
 * passwords everybody tries first.
 */
export function passwordRules(password: string, username: string): PasswordRule[] {
  const plain = password.normalize('NFKC').toLowerCase()
  const name = username.trim().toLowerCase()
  return [
    { text: 'At least 8 characters', isKept: password.length >= 8 },
    { text: 'At least 4 different characters', isKept: new Set(plain).size >= 4 },
    {
      text: 'More than the user name with a few characters',
      isKept: password !== '' && !(name.length >= 3 && plain.includes(name) && plain.length - name.length < 6),
    },
  ]
}
