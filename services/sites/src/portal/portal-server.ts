import { once } from 'node:events'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { join } from 'node:path'
import type { PortalSockets } from '../caddy/desired-state.ts'
import type { Config } from '../config.ts'

/** Paths of the sockets of the portal, in a folder that nobody else may enter. */
export interface PortalSocketPaths {
  readonly verify: string
  readonly pages: string
  readonly status: string
}

/** Returns the sockets of the portal of a data directory. */
export function portalSocketPaths(dataDirectory: string): PortalSocketPaths {
  const folder = join(dataDirectory, 'portal')
  return {
    verify: join(folder, 'verify.sock'),
    pages: join(folder, 'pages.sock'),
    status: join(folder, 'status.sock'),
  }
}

/** Returns the same sockets as Caddy names upstreams. */
export function portalSockets(dataDirectory: string): PortalSockets {
  const paths = portalSocketPaths(dataDirectory)
  return { verify: `unix/${paths.verify}`, pages: `unix/${paths.pages}`, status: `unix/${paths.status}` }
}

/** Longest path of a socket that the system takes, bytes. */
const maxPath = 107

/** Returns why no Caddy can reach the portal of this service; undefined when its own can. */
export function portalObstacle({ caddy, dataDirectory }: Pick<Config, 'caddy' | 'dataDirectory'>): string | undefined {
  if (caddy.admin !== undefined)
    return 'needs the Caddy that this service runs itself; with CADDY_ADMIN there is no portal'
  const { verify } = portalSocketPaths(dataDirectory)
  // None of the others is longer.
  if (Buffer.byteLength(verify) <= maxPath) return undefined
  return `needs a shorter DATA_DIR: ${verify} is too long for the path of a socket`
}

/**
 * Opens the servers of the portal and of status pages. Only who may enter the data directory reaches them, which is this service
 * and its Caddy.
 */
export async function openPortalServers(
  paths: PortalSocketPaths,
  listeners: Readonly<Record<keyof PortalSocketPaths, RequestListener>>,
): Promise<{ close(): Promise<void> }> {
  await mkdir(join(paths.verify, '..'), { recursive: true, mode: 0o700 })
  const servers = [
    await listen(paths.verify, listeners.verify),
    await listen(paths.pages, listeners.pages),
    await listen(paths.status, listeners.status),
  ]
  return {
    async close() {
      await Promise.all(servers.map(closeServer))
    },
  }
}

async function listen(path: string, listener: RequestListener): Promise<Server> {
  // Left by a service that was killed; the data directory is claimed, so nobody else uses it.
  await rm(path, { force: true })
  // Caddy keeps connections for two minutes: one that this side ends first could meet a request on its way.
  const server = createServer({ keepAliveTimeout: 300_000, maxHeaderSize: 65_536, requestTimeout: 30_000 }, listener)
  server.maxConnections = 2000
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o600)
  return server
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
