import assert from 'node:assert/strict'
import { test } from 'node:test'
import { locateError, type SitePositions } from './locate-error.ts'

const positions: SitePositions = {
  routes: { https: [[1, 2, 3], 4, null], http: [[5]] },
  errorRoutes: { https: [2, 4], http: [] },
  connectionPolicies: { https: [[1], [2, 3], []], http: [] },
  automationPolicies: [[4], [1, 2]],
  pemCertificates: [[3]],
  certificateFiles: [{ files: ['/c/a.pem', '/c/a.key'], sites: [2] }],
  domains: new Map([
    ['a.test', 1],
    ['b.test', 2],
    ['10.0.0.5', 4],
  ]),
}

test('error positions are counted the way Caddy counts routes', () => {
  for (const [text, site] of [
    ['server https: setting up route handlers: route 0: … subroutes: route 2: … subroutes: route 7: x', 3],
    ['server https: setting up route handlers: route 1: loading handler modules: position 0: x', 4],
    ['server https: setting up route handlers: route 0: loading matcher modules: x', undefined],
    ['server http: setting up route handlers: route 0: loading matcher modules: x', 5],
    ['server https: setting up route handlers: route 2: x', undefined],
    ['server https: setting up route handlers: route 9: x', undefined],
    ['server other: setting up route handlers: route 0: x', undefined],
    ['server https: setting up server error handling routes: route 1: x', 4],
    ['server https: setting up TLS connection policies: connection policy 0: x', 1],
    ['server https: setting up TLS connection policies: connection policy 1: x', undefined],
    ['provision tls: provisioning automation policy 0: x', 4],
    ['provision tls: provisioning automation policy 1: x', undefined],
    ['loading certificates: PEM pair 0: x', 3],
    ['loading certificates: open /c/a.key: no such file', 2],
    ["setting up custom log 'site-2': x", 2],
    ["setting up custom log 'site-77': x", undefined],
    ['subject does not qualify for certificate: a.test', 1],
    ['hosts a.test and b.test', undefined],
    ['http: listening on 10.0.0.5:443: bind: cannot assign requested address', undefined],
    ['', undefined],
  ] as const)
    assert.equal(locateError(text, positions), site, text)
})
