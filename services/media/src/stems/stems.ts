import type { StemAccount, StemQuery, StemResult, StemStatus } from './schema.ts'

/** Voice and accompaniment of a sound, by a service elsewhere. Throws problems in the words of the API. */
export interface Stems {
  status(isForced: boolean): Promise<StemStatus>
  /** Stores an account after asking the service whether it is good. */
  signIn(account: StemAccount): Promise<void>
  signOut(): Promise<void>
  /** Waits for the result, ten minutes at most. Both stems are made at once; the second is there already. */
  separate(jobId: string, query: StemQuery): Promise<StemResult>
  /** The stored file of a stem and the name it is saved under. */
  find(jobId: string, query: StemQuery): Promise<{ name: string; fileName: string }>
}
