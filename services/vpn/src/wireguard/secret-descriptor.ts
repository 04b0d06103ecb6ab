import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Folders that live in memory, best first; the temporary folder is the last resort. */
const memoryFolders = ['/dev/shm', '/run']

/**
 * Runs `work` with the number of an open file that holds `text` and has no name any more: no one else can open it, and it
 * is gone when this process and its child have closed it. A child that gets it as standard input can read `/dev/stdin`,
 * which it could not from Node's own pipes (they are sockets). A child may read the descriptor itself as well: it starts at the
 * beginning.
 */
export async function withSecretDescriptor<T>(text: string, work: (descriptor: number) => Promise<T>): Promise<T> {
  const file = await openUnnamed()
  try {
    await writeAll(file, Buffer.from(text))
    return await work(file.fd)
  } finally {
    await file.close()
  }
}

/** Writes at explicit positions, because parent and child share the place in the file where the next read begins. */
async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(await memoryFolder(), `hearth-${randomUUID()}`)
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    await unlink(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

async function memoryFolder(): Promise<string> {
  for (const folder of memoryFolders) {
    const usable = await access(folder, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    )
    if (usable) return folder
  }
  return tmpdir()
}
