import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OperatorError, type Clock } from '@hearth/runtime'
import { noiseAt } from './seeded-noise.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Hour of the day, UTC, from which on the prices of tomorrow are there. */
const tomorrowFrom = 13

/** A price for an hour. */
interface SimulatedPrice {
  readonly start: string
  readonly end: string
  /** For a kilowatt-hour. */
  readonly price: number
}

/** Returns day-ahead prices of yesterday, today and, from 13:00 UTC, tomorrow: a morning and an evening peak, a dip at noon. */
export function simulatedPrices(now: number, seed: number): SimulatedPrice[] {
  const today = Math.floor(now / dayMs)
  const days = (now / hourMs) % 24 >= tomorrowFrom ? 3 : 2
  return Array.from({ length: days * 24 }, (_, index) => {
    const at = (today - 1) * dayMs + index * hourMs
    return { start: iso(at), end: iso(at + hourMs), price: Number(priceAt(at, seed).toFixed(4)) }
  })
}

function priceAt(at: number, seed: number): number {
  const day = Math.floor(at / dayMs)
  const hour = (at / hourMs) % 24
  const bump = (middle: number, width: number) => Math.exp(-(((hour - middle) / width) ** 2))
  const level = 0.05 + 0.08 * noiseAt(seed + 11, day)
  const swing = 0.05 + 0.1 * noiseAt(seed + 12, day)
  const dip = 0.12 * noiseAt(seed + 13, day)
  return level + swing * (bump(7.5, 1.8) + 1.4 * bump(19, 2.2)) - dip * bump(13, 2.5) + 0.004 * noiseAt(seed + 14, at)
}

const iso = (at: number): string => new Date(at).toISOString()

/** Serves the prices as JSON at `/prices`. Throws an `OperatorError` when the port is taken. */
export async function servePrices(
  { host, port }: { host: string; port: number },
  { clock, seed }: { clock: Pick<Clock, 'now'>; seed: number },
) {
  const server = createServer((request, response) => {
    if (request.url !== '/prices') {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ prices: simulatedPrices(clock.now(), seed) }))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new OperatorError(`--prices-port: cannot listen on ${port}: ${error.message}`, { cause: error })),
    )
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
