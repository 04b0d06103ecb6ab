import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSettings } from '@hearth/runtime'
import { z } from 'zod'
import { artifactsSetting, parseArtifactLocation } from './artifact-location.ts'

test('a directory is used as it is', () => {
  for (const path of ['/srv/media', 'data/artifacts', './a b', 's3', 'C:\\media']) {
    assert.deepEqual(parseArtifactLocation(path), { kind: 'directory', path })
  }
})

test('a bucket is parsed, with and without options', () => {
  const plain = {
    kind: 's3',
    bucket: 'media',
    prefix: '',
    endpoint: undefined,
    region: 'us-east-1',
    isPathStyle: false,
  }
  for (const [text, change] of [
    ['s3://media', {}],
    ['s3://media/', {}],
    ['S3://media/home/Hearth_1/', { prefix: 'home/Hearth_1' }],
    ['s3://media?region=eu-central-1', { region: 'eu-central-1' }],
    ['s3://media?path_style=true', { isPathStyle: true }],
    ['s3://media?endpoint=http://nas:9000', { endpoint: 'http://nas:9000', isPathStyle: true }],
    ['s3://media?endpoint=https%3A%2F%2Fnas&path_style=false', { endpoint: 'https://nas' }],
  ] as const) {
    assert.deepEqual(parseArtifactLocation(text), { ...plain, ...change }, text)
  }
})

test('a wrong location is named without repeating its value', () => {
  const schema = z.object({ ARTIFACTS: artifactsSetting })
  for (const [text, part] of [
    ['http://secret.example/x', 's3://'],
    ['s3://', 'well-formed|bucket'],
    ['s3://Me', 'bucket'],
    ['s3://media:9000', 'bucket'],
    ['s3://AKIASECRET:secret@media', 'AWS_ACCESS_KEY_ID'],
    ['s3://media/a//b', 'prefix'],
    ['s3://media/a%20b', 'prefix'],
    ['s3://media?secret=1', 'option'],
    ['s3://media?region=a&region=b', 'twice'],
    ['s3://media?region=', 'region'],
    ['s3://media?endpoint=nas:9000', 'endpoint'],
    ['s3://media?endpoint=ftp://secret', 'endpoint'],
    ['s3://media?endpoint=http://user:secret@nas', 'endpoint'],
    ['s3://media?endpoint=http://nas/secret', 'endpoint'],
    ['s3://media?path_style=yes', 'path_style'],
    ['s3://media#secret', '#'],
    ['   ', 'directory'],
  ] as const) {
    assert.throws(
      () => parseSettings(schema, { ARTIFACTS: text }),
      (error: Error) => {
        assert.match(error.message, new RegExp(`^ARTIFACTS: .*(${part})`), text)
        assert.doesNotMatch(error.message, /secret/)
        return true
      },
      text,
    )
  }
  assert.deepEqual(parseSettings(schema, {}).ARTIFACTS, { kind: 'directory', path: undefined })
})
