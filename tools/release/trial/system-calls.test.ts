import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { loadFilter } from './sandbox.ts'
import { allowedBy, filterProgram, readCallNumbers, readCallSets } from './system-calls.ts'

const sets = readCallSets(`@default
    # always
    read
    exit_group

@io
    @default
    write
    socket

@slow
    write
`)
const numbers = readCallNumbers(
  '#define __NR_read 0\n#define __NR_write 1\n#define __NR_socket 41\n#define __NR_exit_group 231\n',
)

test('lines of a unit add calls and take them back, in their order', () => {
  const unit = (...lines: string[]) => [...lines, 'RestrictAddressFamilies=AF_UNIX AF_INET'].join('\n')
  const calls = (...lines: string[]) => allowedBy(unit(...lines), sets, numbers).calls
  assert.deepEqual(calls('SystemCallFilter=@io'), [0, 1, 41, 231])
  assert.deepEqual(calls('SystemCallFilter=@io', 'SystemCallFilter=~@slow socket'), [0, 231])
  assert.deepEqual(calls('SystemCallFilter=@io', 'SystemCallFilter=~@slow', 'SystemCallFilter=write'), [0, 1, 41, 231])
  assert.deepEqual(allowedBy(unit(), sets, numbers).families, [1, 2])
  assert.throws(() => allowedBy('SystemCallFilter=@nothing', sets, numbers), /@nothing/)
})

test(
  'the kernel takes a filter: an allowed call works, others and sockets of other families fail',
  { skip: process.arch === 'x64' ? false : 'the filter is for amd64' },
  async () => {
    await using folder = await temporaryDirectory('filter')
    const file = join(folder.path, 'filter')
    const everything = Array.from({ length: 500 }, (_, number) => number).filter((number) => number !== 83)
    writeFileSync(file, filterProgram({ calls: everything, families: [1] }))
    const script = `use Socket; print mkdir("${folder.path}/new") ? "made" : $!{EPERM} ? "refused" : $!, " ";
print socket(my $one, AF_UNIX, SOCK_STREAM, 0) ? "open" : $!, " ";
print socket(my $two, AF_INET, SOCK_STREAM, 0) ? "open" : $!{EAFNOSUPPORT} ? "closed" : $!;`
    const { stdout, stderr } = spawnSync('perl', ['-e', loadFilter, file, 'perl', '-MErrno', '-e', script], {
      encoding: 'utf8',
    })
    assert.equal(stdout, 'refused open closed', stderr)
  },
)
