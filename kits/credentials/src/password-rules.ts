/** The most common leaked passwords and their stems, in lower case. */
const commonPasswords: ReadonlySet<string> = new Set(
  `123456 12345678 123456789 1234567890 12345 111111 000000 123123 1234567 654321 666666 121212 112233 987654321 password
  passwort passw0rd p@ssword p@ssw0rd pa55word password1 password12 password123 qwerty qwerty123 qwertyuiop qwertz qwertzuiop
  azerty asdfghjkl asdfasdf zxcvbnm 1q2w3e4r 1qaz2wsx q1w2e3r4 zaq12wsx iloveyou admin admin123 administrator root toor
  letmein welcome welcome1 changeme changeit change-me default secret secret123 master monkey dragon football baseball
  basketball superman batman sunshine princess shadow michael jordan jennifer hunter trustno1 starwars whatever freedom
  computer internet samsung google facebook hearth wireguard vpn server login access test testtest test1234 guest user
  abc123 abcd1234 abcdefgh a1b2c3d4 aa123456 qwer1234 asdf1234 love hello hello123 charlie donald loveme flower lovely
  summer winter spring autumn sommer hallo hallo123 schatz geheim`.split(/\s+/),
)

/**
 * Returns the reason why a new password is not good enough, as a sentence, or undefined when it is. The schema checks the
 * length; this refuses what attackers try first: common passwords, one repeated or counted-up run, and the user's own names.
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
