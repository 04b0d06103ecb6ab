import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { ExportRow } from './tables.ts'

const prefixOf = (exportId: string): string => `export_${exportId}_`

/** The name a file of an export is stored under; `number` counts from 1. */
export const exportArtifact = (exportId: string, number: number, extension: string): string =>
  `${prefixOf(exportId)}${number}.${extension}`

/** Deletes what is stored of an export. */
export async function discardFiles(
  artifacts: ArtifactStore,
  { id, job_id }: Pick<ExportRow, 'id' | 'job_id'>,
): Promise<void> {
  const names = await artifacts.list(job_id)
  for (const name of names) if (name.startsWith(prefixOf(id))) await artifacts.removeOne(job_id, name)
}
