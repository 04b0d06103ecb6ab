/** Passwords and stems that lead every published list of leaked ones, in lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `123456 12345678 123456789 1234567890 12345 111111 000000 123123 1234567 654321 666666 121212 112233 987654321 password
  passwort passw0rd p@ssword p@ssw0rd pa55word password1 password12 password123 qwerty qwerty123 qwertyuiop qwertz qwertzuiop
  azerty asdfghjkl asdfasdf zxcvbnm 1q2w3e4r 1qaz2wsx q1w2e3r4 zaq12wsx iloveyou admin admin123 administrator root toor
  letmein welcome welcome1 changeme changeit change-me default secret secret123 master monkey dragon football baseball
  basketball superman batman sunshine princess shadow michael jordan jennifer hunter trustno1 starwars whatever freedom
  computer internet samsung google facebook hearth wireguard vpn server login access test testtest test1234 guest user
  abc123 abcd1234 abcdefgh a1b2c3d4 aa123456 qwer1234 asdf1234 love hello hello123 charlie donald loveme flower lovely
  summer winter spring autumn sommer hallo hallo123 schatz geheim`.split(/\s+/),
)
