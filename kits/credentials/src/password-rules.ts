import { commonPasswords } from './common-passwords.data.ts'

/**
 * Returns the reason why a new password is not good enough, as a sentence, or undefined when it is. Length comes first and is the schema's
 * matter; this refuses what attackers try first: common passwords, one repeated or counted-up run, and the user's own names.
 *
 * @param names user name, e-mail address and the like
 */
export function passwordWeakness(password: string, names: readonly string[] = []): string | undefined {
  const plain = password.normalize('NFKC').toLowerCase()
  const stem = plain.replace(/^[^a-z]+|[^a-z]+$/g, '')
  if (
    commonPasswords.has(plain) ||
    (stem.length >= 4 && plain.length - stem.length <= 4 && commonPasswords.has(stem))
  ) {
    return 'is one of the passwords tried first'
  }
  if (new Set(plain).size < 4) return 'repeats too few different characters'
  if (isRun(plain)) return 'is a simple sequence'
  const own = names.flatMap((name) => [name, name.split('@')[0] ?? '']).map((name) => name.toLowerCase())
  if (own.some((name) => name.length >= 3 && plain.includes(name) && plain.length - name.length < 6))
    return 'is too close to the user’s name'
  return undefined
}

/** `12345678`, `abcdefgh`, `87654321`: each character is the neighbour of the one before. */
function isRun(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0))
  return steps.length > 0 && (steps.every((step) => step === 1) || steps.every((step) => step === -1))
}
