import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** Serves the pages that the benchmark of the checks requests, over HTTP and HTTPS, on all addresses of loopback. */
process.once('message', (keys) => {
  const { key, certificate } = keys as { key: string; certificate: string }
  const listener: RequestListener = (_, response) => void response.end('<title>ok</title>')
  const plain = createServer(listener).listen(0, '0.0.0.0')
  const secure = createSecureServer({ key, cert: certificate }, listener).listen(0, '0.0.0.0', () => {
    const [httpPort, httpsPort] = [plain, secure].map((server) => (server.address() as AddressInfo).port)
    process.send?.({ httpPort, httpsPort })
  })
})
process.once('disconnect', () => process.exit(0))
