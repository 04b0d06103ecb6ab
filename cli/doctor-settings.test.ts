import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { findServices } from './services.ts'

interface Checked {
  readonly doctor: (environment: NodeJS.Dict<string>) => Promise<{ detail: string }[]>
}

for (const { name, folder } of findServices())
  test(`the checks of ${name} go by the settings they are given, those of an installed service`, async () => {
    await using data = await temporaryDirectory('doctor')
    const { doctor } = (await import(`${folder}/src/commands.ts`)) as Checked
    const checks = await doctor({ DATA_DIR: data.path, BIND_PORT: 'nowhere' }).catch((error: Error) => [
      { detail: error.message },
    ])
    assert.match(checks.map(({ detail }) => detail).join('\n'), /BIND_PORT/)
  })
