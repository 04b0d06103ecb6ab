import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Options } from 'execa'
import { DeviceError } from './device.ts'

/** Options of `runOnce`. */
export interface CommandOptions {
  /** Text for `/dev/stdin` that must not be seen by anybody else; without it standard input is empty. */
  readonly secretInput?: string
  /** Timeout in milliseconds; 10 000 by default. */
  readonly timeout?: number
  /** Bytes that the command may print, when they are more than those of a full device. */
  readonly maxOutput?: number
  /** The command starts a process that must outlive this one, in its own session. */
  readonly leavesProcess?: boolean
}

/**
 * Runs one program with an argument list and returns what it printed. Never through a shell. A failure is a `DeviceError`
 * that says which command failed and why; anything in it that looks like a key is blanked, and standard output, which may
 * hold keys, is never part of it.
 */
export type RunCommand = (file: string, args: readonly string[], options?: CommandOptions) => Promise<string>

/** Bytes of output a command may print; a device with 65 536 peers prints about 7 MB. */
const outputBound = 12 * 1024 * 1024

/** Folders in which programs are looked for. */
const programFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** The environment of every command: PATH and the like, without the service's settings. */
const environment = { PATH: programFolders.join(':'), LC_ALL: 'C' }

/** Resolves to true if a command of this name can be run. */
export async function isProgram(name: string): Promise<boolean> {
  const found = await Promise.all(
    programFolders.map((folder) =>
      access(join(folder, name), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}

/** A `RunCommand`; `prefix` goes before every command, such as `['ip', 'netns', 'exec', 'blue']`. */
export function createCommandRunner(prefix: readonly string[] = []): RunCommand {
  return async (file, args, options = {}) => {
    const [program = file, ...rest] = [...prefix, file, ...args]
    const once = (stdin: number | 'ignore') => runOnce(program, rest, { ...options, stdin })
    const { secretInput } = options
    const result = await (secretInput === undefined ? once('ignore') : withSecretDescriptor(secretInput, once))
    if (!result.failed) return result.stdout
    throw new DeviceError(`${redact([file, ...args.slice(0, 6)].join(' '))}: ${redact(failureOf(result))}`)
  }
}

type CommandResult = Awaited<ReturnType<typeof runOnce>>

async function runOnce(
  program: string,
  args: readonly string[],
  options: CommandOptions & { stdin: number | 'ignore' },
) {
  // Loaded with the first command: simulated tunnels run none.
  const { execa } = await import('execa')
  const settings = {
    // Any open descriptor works; the type lists only the ones a shell would use.
    stdin: options.stdin as 0 | 'ignore',
    timeout: options.timeout ?? 10_000,
    killSignal: 'SIGKILL',
    maxBuffer: options.maxOutput ?? outputBound,
    reject: false,
    stripFinalNewline: false,
    extendEnv: false,
    env: environment,
    cleanup: options.leavesProcess !== true,
    detached: options.leavesProcess === true,
  } as const satisfies Options
  return execa(program, args, settings)
}

function failureOf(result: CommandResult): string {
  if (result.code === 'ENOENT') return 'the program is not installed'
  if (result.timedOut) return 'no answer in time, ended'
  if (result.isMaxBuffer) return 'printed too much'
  const said = result.stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[│┌└]/.test(line))
    .slice(0, 3)
    .join('; ')
    .slice(0, 500)
  if (said !== '') return said
  return result.signal === undefined
    ? `ended with ${result.exitCode ?? result.code ?? 'no code'}`
    : `ended by ${result.signal}`
}

/** Blanks everything that could be a key: 32 bytes in base64 or in hexadecimal, cut short or not. */
export function redact(text: string): string {
  return text.replaceAll(/[0-9a-fA-F]{40,}/g, '[key]').replaceAll(/[A-Za-z0-9+/]{40,}={0,2}/g, '[key]')
}

/** Folders that live in memory, best first; the temporary folder is the last resort. */
const memoryFolders = ['/dev/shm', '/run']

/**
 * Runs `work` with the number of an open file that holds `text` and has no name any more: no other process can open it, and it
 * is deleted once this process and its child have closed it. A child that gets it as standard input can read `/dev/stdin`,
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
