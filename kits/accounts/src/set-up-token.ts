import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSessionKey, isSameSecret } from '@hearth/credentials'
import { OperatorError, writeFileAtomic } from '@hearth/runtime'

/** Token that the first administrator must give: it shows that they can read the terminal or the data directory. */
export interface SetUpToken {
  /** Undefined once there is an administrator. */
  current(): string | undefined
  isRight(given: string): boolean
  /** After the first administrator was made. */
  forget(): Promise<void>
}

/** File that holds the token, mode 0600, until it is used. */
export const setUpTokenFile = (dataDirectory: string): string => join(dataDirectory, 'setup-token')

/** Creates the token when there is no user yet, or reads that of an earlier start; otherwise deletes its file. */
export async function openSetUpToken(dataDirectory: string, isSetUp: boolean): Promise<SetUpToken> {
  const file = setUpTokenFile(dataDirectory)
  let token = isSetUp ? undefined : (readToken(file) ?? (await makeToken(file)))
  const forget = async () => {
    token = undefined
    await rm(file, { force: true })
  }
  if (isSetUp) await forget()
  return {
    current: () => token,
    isRight: (given) => token !== undefined && isSameSecret(given.trim(), token),
    forget,
  }
}

function readToken(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  try {
    const text = readFileSync(file, 'utf8').trim()
    return /^[\w-]{43}$/.test(text) ? text : undefined
  } catch (error) {
    throw new OperatorError(`DATA_DIR: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}

async function makeToken(file: string): Promise<string> {
  const token = createSessionKey()
  await writeFileAtomic(file, `${token}\n`)
  return token
}
