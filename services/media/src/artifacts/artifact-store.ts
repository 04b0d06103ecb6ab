import type { Readable } from 'node:stream'
export interface ArtifactStore {
  put(jobId: string, name: string, file: string): Promise<void>
  stat(jobId: string, name: string): Promise<{ size: number; modifiedAt: number; tag: string } | undefined>
  open(jobId: string, name: string, range?: { first: number; last: number }): Promise<Readable | undefined>
  withLocalFile<T>(jobId: string, name: string, work: (path: string) => Promise<T>): Promise<T>
  list(jobId: string): Promise<string[]>
  removeOne(jobId: string, name: string): Promise<boolean>
  removeJob(jobId: string): Promise<void>
  jobs(): AsyncIterable<{ jobId: string; modifiedAt: number }>
  close(): Promise<void>
}
