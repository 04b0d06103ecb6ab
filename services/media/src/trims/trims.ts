import type { Trim, TrimList, TrimRequest } from './schema.ts'

/** Parts cut out of finished sounds. Throws problems in the words of the API. */
export interface Trims {
  make(jobId: string, wanted: TrimRequest): Promise<Trim>
  list(jobId: string): Promise<TrimList>
  remove(jobId: string, trimId: string | undefined): Promise<{ ok: true; deleted: number }>
  /** The stored file of a part and the name it is saved under. */
  find(jobId: string, trimId: string): Promise<{ name: string; fileName: string }>
}
