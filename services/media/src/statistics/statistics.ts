import type { Statistics, TempoClusters } from './schema.ts'

/** Figures over completed jobs since the last reset. */
export interface StatisticsKeeper {
  read(): Promise<Statistics>
  reset(): Promise<void>
  clusters(limit: number): Promise<TempoClusters>
}
