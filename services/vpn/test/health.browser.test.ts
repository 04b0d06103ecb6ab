import { createSocket } from 'node:dgram'
import { test } from 'node:test'
import { assertAccessible, browserObstacle, eventually, freePort, startBrowser } from '@hearth/testing'
import { firstSignIn, startFixture } from './browser-fixture.ts'

test(
  'overview and DNS pages report that no upstream answers, and show nothing green',
  { skip: browserObstacle() },
  async () => {
    const port = await freePort()
    await using fixture = await startFixture({
      DNS_UPSTREAMS: 'udp://127.0.0.1:9',
      DNS_LISTEN: `127.0.0.1:${port}`,
    })
    await using browser = await startBrowser({ baseURL: fixture.service.url })
    const { page } = browser
    await firstSignIn(fixture, page)
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText('Tunnels are simulated').waitFor()

    const socket = createSocket('udp4')
    const question = Buffer.from('00070100000100000000000003777777076578616d706c650000010001', 'hex')
    await eventually(
      () => {
        socket.send(question, port, '127.0.0.1')
        return health.getByText('No upstream answers').count()
      },
      (count) => count > 0,
      { what: 'the notice on the overview', seconds: 60, everyMs: 500 },
    )
    socket.close()
    await assertAccessible(page)
    for (const path of ['/dns', '/dns/lists', '/dns/settings']) {
      await page.goto(path)
      await health.getByText('No upstream answers').waitFor()
      await page.getByText('DNS fails: no upstream answers').waitFor()
      await assertAccessible(page)
    }
    await health.getByRole('link', { name: 'DNS settings' }).click()
    await page
      .getByRole('heading', { name: /upstream|servers/i })
      .first()
      .waitFor()
  },
)
