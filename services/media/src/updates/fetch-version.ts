import type { ToolRunner } from '../tools/run-tool.ts'
import type { ChosenYtDlp } from './chosen-yt-dlp.ts'
import { fetchProgram, type FetchedProgram, type SignatureCheck } from './fetch-program.ts'
import { askRelease, type Release } from './release.ts'
import { createSignatureCheck } from './signature-check.ts'
import type { Fetched } from './tool-pin.ts'
import { UpdateFailed } from './update-failed.ts'
import type { StagedProgram } from './version-folder.ts'

/** A program that is there to be tried. */
export interface FetchedVersion extends FetchedProgram, AsyncDisposable {
  readonly staged: StagedProgram
}

/** Where the operator puts the key that signs releases, in the folder of the versions. */
const keyName = 'public.key'

/** Fetches and checks the program of a release, and lays it beside the others. Throws `UpdateFailed`. */
export async function fetchVersion(
  chosen: Pick<ChosenYtDlp, 'web' | 'versions'>,
  release: Release,
  { runner, signal }: { runner: ToolRunner; signal: AbortSignal },
): Promise<FetchedVersion> {
  const signatures: SignatureCheck = createSignatureCheck({ keyFile: chosen.versions.fileOf(keyName), runner })
  let fetched: FetchedProgram | undefined
  const staged = await chosen.versions.stage(async (file) => {
    fetched = await fetchProgram({ web: chosen.web, signatures }, release, { file, signal })
  })
  if (fetched === undefined) throw new UpdateFailed('nothing was fetched')
  return { ...fetched, staged, [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose]() }
}

/** Fetches the version another process of the installation took and tried: the very same program, or none. */
export async function fetchTaken(chosen: ChosenYtDlp, wanted: Fetched, runner: ToolRunner): Promise<void> {
  const signal = AbortSignal.timeout(300_000)
  const release = await askRelease(chosen.web, wanted, signal)
  await using fetched = await fetchVersion(chosen, release, { runner, signal })
  if (fetched.sha256 !== wanted.sha256) throw new UpdateFailed('it is not the program that was taken')
  await fetched.staged.keep(wanted.version)
}
