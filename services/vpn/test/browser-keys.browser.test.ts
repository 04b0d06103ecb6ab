import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, eventually, everyScreen } from '@hearth/testing'
import jsqr from 'jsqr'
import { PNG } from 'pngjs'
import { openFurnished } from './browser-fixture.ts'

/** The package is CommonJS: its types name a default that Node hands over as the whole module. */
const readQrCode = jsqr as unknown as typeof jsqr.default

/** The public key that belongs to a private one. */
function publicKeyOf(privateKey: string): string {
  const prefix = Buffer.from('302e020100300506032b656e04220420', 'hex')
  const der = Buffer.concat([prefix, Buffer.from(privateKey, 'base64')])
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  return key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
}

test(
  'keys made in the browser: file and QR code have the private key, and nothing that is sent or stored does',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page, fixture } = opened
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    await page.getByRole('button', { name: 'Add peer' }).click()
    const adding = page.getByRole('dialog', { name: 'Add peer' })
    await adding.getByLabel('Name').fill('Secret phone')
    await adding.getByLabel('Make the keys in this browser').check()
    await assertUsableOn(page, everyScreen)
    await adding.getByRole('button', { name: 'Add peer' }).click()
    const connect = page.getByRole('dialog', { name: 'Connect this device' })
    await connect.getByText('nobody can show it again').waitFor()
    const code = connect.getByRole('img', { name: /QR code/ })
    await assertUsableOn(page, everyScreen, { ready: code })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      connect.getByRole('button', { name: 'Download file' }).click(),
    ])
    const file = await readFile(await download.path(), 'utf8')
    const privateKey = /^PrivateKey = (\S{44})$/m.exec(file)?.[1] ?? assert.fail(file)
    const scan = async () => {
      const picture = PNG.sync.read(await code.screenshot())
      return readQrCode(new Uint8ClampedArray(picture.data), picture.width, picture.height)?.data
    }
    assert.equal(await eventually(scan, (text) => text !== undefined, { what: 'a readable code' }), file)

    await page.keyboard.press('Escape')
    await connect.getByRole('button', { name: 'I have it' }).click()
    await connect.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Secret phone' }).click()
    const drawer = page.getByRole('dialog', { name: 'Secret phone' })
    await drawer.getByText(publicKeyOf(privateKey)).waitFor()
    await drawer.getByText('On the device only', { exact: true }).waitFor()
    await drawer.getByText('The private key is on the device only, so a link could not hand it over.').waitFor()
    assert.equal(await drawer.getByRole('button', { name: 'Make a link' }).count(), 0)

    const entries = await readdir(fixture.folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const contents = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name))))
    const everything = `${Buffer.concat(contents).toString('latin1')}${sent.join('\n')}`
    assert.ok(!everything.includes(privateKey) && !everything.includes(encodeURIComponent(privateKey)))
  },
)
