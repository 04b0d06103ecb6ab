/** A job id or the name of an artifact that no store takes. */
export class ArtifactNameRefused extends Error {
  override readonly name = 'ArtifactNameRefused'
}

/** Returns true if a text is a job's id: a UUID in small letters. */
export const isJobId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)

/** Returns true if a text is the name of an artifact: ours alone, never a title. */
export const isArtifactName = (text: string): boolean => /^[a-z0-9][a-z0-9_.-]{0,80}$/.test(text)

/** Throws `ArtifactNameRefused` for anything else. */
export function assertJobId(jobId: string): void {
  if (!isJobId(jobId)) throw new ArtifactNameRefused('the job id is not a UUID in small letters')
}

/** Throws `ArtifactNameRefused` unless both are well formed. */
export function assertArtifactName(jobId: string, name: string): void {
  assertJobId(jobId)
  if (!isArtifactName(name)) {
    throw new ArtifactNameRefused('the name of an artifact has at most 81 of a-z, 0-9, _, . and -')
  }
}
