import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFileAtomic, OperatorError, parseJson, writeFileAtomic } from '@hearth/runtime'
import { z } from 'zod'

/** What makes a host a node: the service it belongs to, and its certificate there. `key` is a secret that never leaves the host. */
const Identity = z.object({
  /** `https://HOST:PORT` of the service. */
  url: z.url(),
  id: z.uuid(),
  name: z.string(),
  /** Certificate of the service's authority, PEM. */
  authority: z.string(),
  certificate: z.string(),
  key: z.string(),
})
export type Identity = z.infer<typeof Identity>

/** Name of the file with the identity in the data directory of a node. */
export const identityFileName = 'node.json'

const fileOf = (directory: string) => join(directory, identityFileName)

/** True when the directory holds the identity of a node. */
export const hasIdentity = (directory: string): boolean => existsSync(fileOf(directory))

/** Reads the identity of this node. Throws an `OperatorError` when the host has not joined. */
export async function readIdentity(directory: string): Promise<Identity> {
  const file = fileOf(directory)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'ENOENT'
        ? `this host is no node yet: there is no ${file}. Join first: hearth vpn node join URL --token-file FILE`
        : `cannot read ${file}: ${error.message}`
    throw new OperatorError(reason, { cause: error })
  })
  const { success, data } = Identity.safeParse(parseJson(text))
  if (!success) throw new OperatorError(`${file} is damaged: join again with a new token and --replace`)
  return data
}

/** Writes the identity of this node, for its owner alone. Returns false when there is one already, unless it is replaced. */
export async function writeIdentity(directory: string, identity: Identity, isReplaced: boolean): Promise<boolean> {
  const text = `${JSON.stringify(identity, null, 2)}\n`
  if (!isReplaced) return createFileAtomic(fileOf(directory), text)
  await writeFileAtomic(fileOf(directory), text)
  return true
}
