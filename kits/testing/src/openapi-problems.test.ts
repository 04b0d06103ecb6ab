import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApiProblems } from './openapi-problems.ts'

const sound = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  tags: [{ name: 'Things' }],
  paths: {
    '/things/{id}': {
      get: {
        operationId: 'getThing',
        summary: 'One thing',
        tags: ['Things'],
        security: [{ token: [] }],
        parameters: [{ $ref: '#/components/parameters/Id' }],
        responses: {
          200: {
            description: 'Success',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
  },
  components: {
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
    responses: { NotFound: { description: 'Not there' } },
    schemas: { Thing: { type: 'object', properties: { kind: { enum: ['a', 'b'] } } } },
  },
}

test('a valid document has no problems, and each rule reports its violation', async () => {
  assert.deepEqual(await openApiProblems(structuredClone(sound)), [])
  const get = sound.paths['/things/{id}'].get
  const withGet = (more: object) => ({ paths: { '/things/{id}': { get: { ...get, ...more } } } })
  const withComponent = (kind: 'responses' | 'schemas', more: object) => ({
    components: { ...sound.components, [kind]: { ...sound.components[kind], ...more } },
  })
  const inline = { description: 'ok', content: { 'application/json': { schema: { type: 'object', properties: {} } } } }
  for (const [change, fault] of [
    [withGet({ operationId: 'get thing' }), /no usable operation id/],
    [withGet({ summary: '' }), /no summary/],
    [withGet({ tags: ['Others'] }), /no tag/],
    [withGet({ security: [{ cookie: [] }] }), /unknown security scheme/],
    [withGet({ responses: { ...get.responses, 200: inline } }), /a body without a name/],
    [withGet({ responses: { 404: get.responses[404] } }), /no good answer/],
    [withGet({ responses: { 200: get.responses[200] } }), /no answer 4xx/],
    [withGet({ responses: { ...get.responses, 403: { description: '' } } }), /answer without description/],
    [{ paths: { '/things/{id}': { get }, '/things/{name}': { get: { ...get, operationId: 'other' } } } }, /ambiguous/],
    [{ paths: { '/things/{id}': { get }, '/others/{id}': { get } } }, /operation id getThing stands twice/],
    [{ paths: { '/things/{name}': { get } } }, /path parameters id/],
    [{ paths: { '/things/{id}/': { get } } }, /a slash or a query at its end/],
    [withComponent('responses', { Conflict: { description: 'Conflict' } }), /responses\/Conflict is not used/],
    [withComponent('schemas', { Thing: { enum: ['a', 'a'] } }), /repeats itself/],
    [withGet({ parameters: [] }), /path parameters/],
  ] as const)
    assert.match(JSON.stringify(await openApiProblems(structuredClone({ ...sound, ...change }))), fault)
})
