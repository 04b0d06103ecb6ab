import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, type ServiceFolder } from '../../cli/services.ts'
import { writeDebianPackage, type DebianPackage, type PackageOutput } from './debian-package.ts'
import { checkMachines } from './elf-machine.ts'
import type { Architecture } from './node-program.ts'
import { stageAll, stageRuntime } from './runtime-package.ts'
import { stageService } from './service-package.ts'

/** The packages of a release: which services, for what machines, under which version. */
export interface Release {
  readonly version: string
  readonly architectures: readonly Architecture[]
  /** Services that are built. */
  readonly services: readonly ServiceFolder[]
  /** Brings the package `hearth`, which needs all services. */
  readonly isComplete: boolean
  /** Changes what is about to be packed; a trial makes broken versions with it. */
  readonly alter?: (folder: string, service: ServiceFolder) => void
}

/** A package that was written. */
export interface WrittenPackage {
  readonly file: string
  /** Size of what it installs, bytes. */
  readonly installed: number
}

/** Writes the packages of a release. */
export async function writePackages(
  { version, architectures, services, isComplete, alter }: Release,
  output: PackageOutput,
): Promise<WrittenPackage[]> {
  const written: WrittenPackage[] = []
  const write = async (stage: (folder: string) => DebianPackage | Promise<DebianPackage>) => {
    const cache = join(root, 'node_modules/.cache')
    mkdirSync(cache, { recursive: true })
    const folder = mkdtempSync(join(cache, 'package-'))
    try {
      const staged = await stage(folder)
      checkMachines(folder, staged.architecture)
      written.push(writeDebianPackage(staged, folder, output))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  mkdirSync(output.release, { recursive: true })
  for (const architecture of architectures) {
    await write((folder) => stageRuntime(folder, version, architecture))
    for (const service of services)
      await write((folder) => {
        const staged = stageService(folder, service, { version, architecture })
        alter?.(folder, service)
        return staged
      })
  }
  const names = services.map(({ name }) => name)
  if (isComplete) await write((folder) => stageAll(folder, version, names))
  return written
}
