import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvText } from './csv-file.ts'

test('cells are quoted where they must be, and formulas are text', () => {
  assert.equal(
    csvText([
      ['name', 'a,b', 'say "hi"'],
      ['=HYPERLINK("x")', '+1', '-1', '@x', 'plain'],
    ]),
    'name,"a,b","say ""hi"""\r\n"\'=HYPERLINK(""x"")",\'+1,\'-1,\'@x,plain\r\n',
  )
})
