import { stat, statfs } from 'node:fs/promises'

/** Free space that is always kept on each disk, bytes. */
export const diskReserve = 1024 ** 3 / 4

/** Bytes that the service may still write. */
export interface FreeSpace {
  /** On the disk that jobs work on. */
  readonly work: number
  /** On the disk of the stored files; undefined where it is the same one, missing, or object storage. */
  readonly files: number | undefined
}

export interface DiskFolders {
  /** A folder of the file system that jobs write to. */
  readonly scratch: string
  /** Directory of the artifacts; undefined in object storage. */
  readonly artifactsFolder: string | undefined
}

/** What the disks lack. */
export interface DiskAssessment {
  /** Bytes that the fuller one still takes. */
  readonly room: number
  /** Bytes that are too many until stored files go. */
  readonly shortage: number
  /** There is no room, whatever goes. */
  readonly isFull: boolean
}

/** The disks of this host that files are written to: the one that jobs work on, and that of the stored files. */
export class Disks {
  readonly #folders: DiskFolders

  constructor(folders: DiskFolders) {
    this.#folders = folders
  }

  async free(): Promise<FreeSpace> {
    return { work: await freeSpace(this.#folders.scratch), files: await this.#freeOfFiles() }
  }

  /** Free bytes of the fuller disk. */
  async leastFree(): Promise<number> {
    const { work, files = Infinity } = await this.free()
    return Math.min(work, files)
  }

  /** Resolves to true while every disk has room for downloads. */
  async haveSpace(): Promise<boolean> {
    return (await this.leastFree()) >= diskReserve
  }

  /** Finds out what the disks lack for bytes that are stored and those that jobs write on the way; `mayGo` when stored files may go. */
  async assess(wanted: {
    readonly bytes: number
    readonly diskBytes: number
    readonly mayGo: boolean
  }): Promise<DiskAssessment> {
    const { work, files } = await this.free()
    const roomOf = (free: number) => Math.max(0, free - diskReserve)
    const lack = wanted.diskBytes === 0 ? 0 : Math.max(0, wanted.diskBytes - roomOf(work))
    const lackForFiles = files === undefined ? 0 : Math.max(0, wanted.bytes - roomOf(files))
    const mayGo = wanted.mayGo && this.#folders.artifactsFolder !== undefined
    // Stored files that go make room where they are.
    const frees = mayGo && files === undefined
    return {
      room: Math.min(roomOf(work), roomOf(files ?? Infinity)),
      shortage: Math.max(frees ? lack : 0, mayGo ? lackForFiles : 0),
      isFull: (lack > 0 && !frees) || (lackForFiles > 0 && !mayGo),
    }
  }

  async #freeOfFiles(): Promise<number | undefined> {
    const { scratch, artifactsFolder } = this.#folders
    if (artifactsFolder === undefined) return undefined
    try {
      if ((await stat(artifactsFolder)).dev === (await stat(scratch)).dev) return undefined
      return await freeSpace(artifactsFolder)
    } catch (error) {
      // Its disk is missing, which is said elsewhere.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }
}

/** Bytes the service may still write in a folder's file system. */
async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
