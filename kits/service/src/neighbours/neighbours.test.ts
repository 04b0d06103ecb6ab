import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { freePort } from '@hearth/testing'
import { knownServices, type KnownService, type ServiceName } from './known-services.ts'
import type { ConfiguredService } from './neighbour-settings.ts'
import { createNeighbours, type Visitor } from './neighbours.ts'

/** Answers as a service's health route does. */
const healthy =
  (service: string, more: Record<string, string> = {}): RequestListener =>
  (request, response) => {
    const isHealth = request.url?.endsWith('/health') === true
    response.writeHead(isHealth ? 200 : 404, isHealth ? { 'hearth-service': service, ...more } : {}).end('{}')
  }

/** A server on loopback, and the number of requests it got. */
async function serve(listener: RequestListener) {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    listener(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const visitor: Visitor = {
  host: 'localhost',
  origin: 'http://localhost:8101',
  connectedTo: { address: '127.0.0.1', port: 8101 },
}
const remote: Visitor = { host: 'vpn.example.org', origin: 'https://vpn.example.org', connectedTo: undefined }

function neighboursAt(
  ports: Partial<Record<ServiceName, number>>,
  configured?: readonly ConfiguredService[],
  timeLimit = 30_000,
) {
  const clock = createManualClock(0)
  const known = knownServices.flatMap((service): KnownService[] => {
    const port = ports[service.name]
    return port === undefined ? [] : [{ ...service, port }]
  })
  return { clock, list: createNeighbours({ service: 'vpn', configured, clock, known, timeLimit }) }
}

const named = (name: ServiceName, address: string, checked = address): ConfiguredService => ({ name, address, checked })

test('services at the ports of this machine are found under the host name that the visitor uses', async () => {
  await using media = await serve(healthy('media'))
  await using other = await serve(healthy('Something else'))
  const { list } = neighboursAt({ vpn: 1, media: media.port, inverter: other.port, sites: await freePort() })
  assert.deepEqual(await list(visitor), {
    services: [{ service: 'media', state: 'running', address: `http://localhost:${media.port}`, portal: null }],
  })
})

test('a visitor behind a proxy, or at another address than the services, finds none', async () => {
  await using media = await serve(healthy('media'))
  const { list } = neighboursAt({ media: media.port })
  const through: Visitor[] = [
    remote,
    { ...visitor, origin: 'https://localhost:8101' },
    // A proxy without forwarding headers: its port is not the one of this service.
    { ...visitor, host: 'vpn.home', origin: 'http://vpn.home' },
    // The service listens on loopback alone, so nobody elsewhere can open it.
    { host: '127.0.0.2', origin: 'http://127.0.0.2:8101', connectedTo: { address: '127.0.0.2', port: 8101 } },
  ]
  for (const one of through) assert.deepEqual(await list(one), { services: [] }, one.origin)
})

test('services of the settings have the address of the settings, and loopback is for visitors on loopback', async () => {
  await using media = await serve(healthy('media'))
  await using sites = await serve(healthy('sites'))
  const { list } = neighboursAt({ media: 1, sites: 1 }, [
    named('media', media.url),
    named('sites', 'https://sites.example.org', `${sites.url}/`),
  ])
  const far = { service: 'sites', state: 'running', address: 'https://sites.example.org', portal: null }
  assert.deepEqual(await list(remote), { services: [far] })
  assert.deepEqual((await list(visitor)).services, [
    { service: 'media', state: 'running', address: media.url, portal: null },
    far,
  ])
})

test('the sites service names its portal, and only an https address of a host is one', async () => {
  const portalOf = async (service: ServiceName, portal: string) => {
    await using server = await serve(healthy(service, { 'hearth-portal': portal }))
    return (await neighboursAt({ [service]: server.port }).list(visitor)).services[0]?.portal
  }
  assert.equal(await portalOf('sites', 'https://auth.example.org'), 'https://auth.example.org')
  assert.equal(await portalOf('media', 'https://auth.example.org'), null)
  for (const portal of ['http://auth.example.org', 'https://auth.example.org/x', 'javascript:alert(1)', 'https://'])
    assert.equal(await portalOf('sites', portal), null)
})

test('an empty list in the settings shows none, and asks nobody', async () => {
  await using media = await serve(healthy('media'))
  const { list } = neighboursAt({ media: media.port }, [])
  assert.deepEqual(await list(visitor), { services: [] })
  assert.equal(media.requests(), 0)
})

test('a service that answers 503 needs attention; one that answers otherwise or not at all is left out', async () => {
  await using failing = await serve((_request, response) => void response.writeHead(503).end('{}'))
  await using redirecting = await serve((_request, response) => void response.writeHead(303, { location: '/' }).end())
  await using unnamed = await serve((_request, response) => void response.end('{}'))
  await using unready = await serve((request, response) => {
    if (request.url === '/api/v1/ready') response.writeHead(503).end('{}')
    else healthy('sites')(request, response)
  })
  const stateOf = async (name: ServiceName, address: string) => {
    const { services } = await neighboursAt({ [name]: 1 }, [named(name, address)]).list(remoteTo(address))
    return services[0]?.state
  }
  assert.equal(await stateOf('media', failing.url), 'not_ready')
  assert.equal(await stateOf('media', redirecting.url), undefined)
  assert.equal(await stateOf('sites', unnamed.url), undefined)
  assert.equal(await stateOf('sites', unready.url), 'not_ready')
  assert.equal(await stateOf('media', `http://127.0.0.1:${await freePort()}`), undefined)
  // At a default port an answer of 503 may be anybody's.
  assert.deepEqual(await neighboursAt({ media: failing.port }).list(visitor), { services: [] })
})

const remoteTo = (address: string): Visitor => ({ ...visitor, origin: address })

test('a service that accepts and never answers counts as none', async () => {
  await using silent = await serve(() => undefined)
  const { list } = neighboursAt({ inverter: silent.port }, undefined, 100)
  assert.deepEqual(await list(visitor), { services: [] })
})

test('a state is read once for requests at the same time and in the next ten seconds', async () => {
  await using media = await serve(healthy('media'))
  const { list, clock } = neighboursAt({ media: media.port })
  await Promise.all([list(visitor), list(visitor), list(visitor)])
  assert.equal(media.requests(), 1)
  clock.advance(9999)
  await list(visitor)
  assert.equal(media.requests(), 1)
  clock.advance(1)
  await list(visitor)
  assert.equal(media.requests(), 2)
})

test('the known services are those of this repository, at their ports', () => {
  for (const { name, port } of knownServices) {
    const file = join(import.meta.dirname, `../../../../services/${name}/package.json`)
    const { hearth } = JSON.parse(readFileSync(file, 'utf8')) as { hearth: { port: number } }
    assert.equal(port, hearth.port)
  }
})
