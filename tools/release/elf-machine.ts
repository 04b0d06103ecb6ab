import { closeSync, globSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** Machine numbers of ELF files by Debian's names of architectures. */
const machines: Readonly<Record<string, number>> = { amd64: 62, arm64: 183 }

/** Throws when a program or library in the folder is for another machine than the package's; `all` must have none. */
export function checkMachines(folder: string, architecture: string): void {
  for (const entry of globSync('**/*', { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const machine = readMachine(file)
    if (machine !== undefined && machine !== machines[architecture])
      throw new Error(`${file} is for ELF machine ${machine}, its package for ${architecture}`)
  }
}

/** The machine number of an ELF file; undefined for other files. */
function readMachine(file: string): number | undefined {
  const head = Buffer.alloc(20)
  const open = openSync(file, 'r')
  try {
    readSync(open, head)
  } finally {
    closeSync(open)
  }
  return head.subarray(0, 4).equals(Buffer.from('\x7fELF')) ? head.readUInt16LE(18) : undefined
}
