import { createHash } from 'node:crypto'
import { createSealer, keyOfPassphrase, type Sealer } from '@hearth/credentials'
import { z } from 'zod'

/** Seals the secrets of one file: the same secret at the same place has the same form, so that files can be compared. */
export type FileSecrets = Pick<Sealer, 'seal' | 'open'>

/** How the secrets of a file are sealed; the key comes from a passphrase. */
export const SecretsHeader = z.strictObject({
  cipher: z.literal('argon2id-aes-256-gcm'),
  salt: z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits'),
  check: z.string().max(200),
})
export type SecretsHeader = z.infer<typeof SecretsHeader>

/** Characters of a passphrase, at least. */
export const minPassphrase = 12

const checkText = 'hearth vpn secrets'
const checkPlace = 'check'

/**
 * Seals for a new file. The salt comes from the public keys of the interfaces: it is another one for each installation, and the same
 * for two files of the same one.
 */
export async function sealWith(
  passphrase: string,
  publicKeys: readonly string[],
): Promise<{ secrets: FileSecrets; header: SecretsHeader }> {
  const keys = publicKeys.toSorted().join(' ')
  const salt = createHash('sha256').update(`hearth vpn ${keys}`).digest('hex').slice(0, 32)
  const secrets = await sealerOf(passphrase, salt)
  return {
    secrets,
    header: { cipher: 'argon2id-aes-256-gcm', salt, check: secrets.seal(checkText, checkPlace) },
  }
}

/** Opens those of a file; undefined when the passphrase is another one. */
export async function openWith(passphrase: string, header: SecretsHeader): Promise<FileSecrets | undefined> {
  const secrets = await sealerOf(passphrase, header.salt)
  try {
    return secrets.open(header.check, checkPlace) === checkText ? secrets : undefined
  } catch {
    return undefined
  }
}

async function sealerOf(passphrase: string, salt: string): Promise<FileSecrets> {
  return createSealer(await keyOfPassphrase(passphrase, Buffer.from(salt, 'hex')), { isRepeatable: true })
}

/** Places of secrets: by public key, so that an entry may be renamed in the file. */
export const secretPlace = {
  interfaceKey: (publicKey: string) => `interface ${publicKey} private_key`,
  peerKey: (publicKey: string) => `peer ${publicKey} private_key`,
  presharedKey: (publicKey: string) => `peer ${publicKey} preshared_key`,
}

/** A secret as a file has it. */
export const SealedText = z
  .string()
  .max(300)
  .regex(/^v1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/, 'must be a sealed secret, as an export with secrets writes it')
