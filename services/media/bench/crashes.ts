import { runCrashes } from '../test/crashes.ts'

/** 100 jobs, with the service killed at random moments of them; throws when a job is lost or lies, or a tool outlives it. */
const report = await runCrashes({ jobs: 100, perCrash: 10 }, Math.random)
process.stdout.write(`${report.jobs} jobs, killed ${report.crashes} times; ended as:\n`)
for (const [status, count] of Object.entries(report.statuses)) process.stdout.write(`  ${status.padEnd(14)}${count}\n`)
