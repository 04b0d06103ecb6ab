import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { caddyAges } from './served-sites.ts'

/** Why there can be no namespace here with the usual ports free, or undefined. */
function namespaceObstacle(): string | undefined {
  try {
    execFileSync('unshare', ['-n', '-m', '-p', '-f', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'no network namespaces for this user (unshare and ip are needed)'
  }
}

describe('certificates of a public ACME authority', { skip: namespaceObstacle() }, () => {
  for (const [index, { name, binary = '/usr/bin/caddy', skip }] of caddyAges.entries())
    test(`are issued by HTTP-01, in advance and on demand, by ${name}`, { skip }, async () => {
      const inside = [
        process.execPath,
        join(import.meta.dirname, 'acme-inside.ts'),
        binary,
        index === 0 ? 'oldest' : 'newest',
      ]
      const { stdout } = await promisify(execFile)('unshare', ['-n', '-m', '-p', '-f', '--kill-child', ...inside], {
        timeout: 60_000,
      })
      assert.deepEqual(JSON.parse(stdout), {
        error: '',
        site: 'site by Test Intermediate',
        closed: 'Only reachable through the VPN by Test Intermediate',
        good: 'shop by Test Intermediate',
        bad: 'none',
      })
    })
})
