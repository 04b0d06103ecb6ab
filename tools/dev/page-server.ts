import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { matchPages } from '@hearth/http/page-addresses'
import { readPagePatterns } from '@hearth/ui/vite'
import { createServer, type ViteDevServer } from 'vite'

/** Where the pages are and who answers everything else. */
export interface PageServerOptions {
  /** Folder `ui` of the service. */
  readonly folder: string
  readonly port: number
  /** Address of the service, such as `http://127.0.0.1:8101`. */
  readonly service: string
}

/** Addresses that Vite answers itself: modules, and its own. */
const ofVite = /^\/(?:@|src\/|node_modules\/|__vite)/

/**
 * Serves the pages of a service from their sources; a browser that shows them gets each change at once. Whatever is neither
 * a page nor a module of one goes to the service.
 */
export async function startPageServer({ folder, port, service }: PageServerOptions): Promise<ViteDevServer> {
  const isPage = matchPages(readPagePatterns(readFileSync(join(folder, 'src/pages.ts'), 'utf8')))
  const isOurs = ({ method, url = '/', headers }: IncomingMessage): boolean => {
    const [path = '/'] = url.split('?')
    if (ofVite.test(path) || (path !== '/' && existsSync(join(folder, 'public', path)))) return true
    return method === 'GET' && headers.accept?.includes('text/html') === true && isPage(path)
  }
  const server = await createServer({
    root: folder,
    logLevel: 'warn',
    clearScreen: false,
    server: {
      port,
      strictPort: true,
      host: '127.0.0.1',
      proxy: { '^/': { target: service, bypass: (request) => (isOurs(request) ? request.url : undefined) } },
    },
  })
  return server.listen()
}
