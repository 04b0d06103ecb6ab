import { createFastTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { main, type TestGateway } from './in-process.ts'

/** Time of these tests: it begins at a noon, so that the house has used something, and a slot lasts two seconds. */
export const noonTimers = (speed = 150) => createFastTimers(speed, Date.UTC(2026, 10, 10, 12))

/** A stretch of time of the history as the API has it. */
export interface Bucket {
  readonly start: string
  readonly date: string
  readonly load_wh: number | null
  readonly pv_wh: number | null
  readonly import_wh: number | null
  readonly export_wh: number | null
  readonly charge_wh: number | null
  readonly discharge_wh: number | null
  readonly load_w: number | null
  readonly soc_percent: number | null
  readonly known: number
  readonly source: string | null
}

/** Reads everything that is stored of device `main`, oldest first. */
export async function stored(gateway: TestGateway, query = ''): Promise<Bucket[]> {
  const reply = await gateway.send('GET', main(`/energy-history.json${query}`), { token: gateway.tokens.read })
  if (reply.status !== 200) throw new Error(reply.text)
  return JSON.parse(reply.text) as Bucket[]
}

/** Waits until so many slots are stored. */
export const slotsStored = (gateway: TestGateway, count: number): Promise<Bucket[]> =>
  eventually(
    () => stored(gateway),
    (buckets) => buckets.length >= count,
    { what: `${count} slots`, seconds: 60, everyMs: 200 },
  )

/** Changes the stored settings. */
export async function configureHistory(gateway: TestGateway, changes: Record<string, unknown>): Promise<void> {
  const { settings } = (await gateway.operate('GET', '/admin/api/energy-history')) as { settings: object }
  await gateway.operate('PUT', '/admin/api/energy-history', { ...settings, ...changes })
}

/** Adds an energy up; what is not known counts nothing. */
export const sumOf = (buckets: readonly Bucket[], name: 'load_wh' | 'pv_wh' | 'import_wh'): number =>
  buckets.reduce((sum, bucket) => sum + (bucket[name] ?? 0), 0)
