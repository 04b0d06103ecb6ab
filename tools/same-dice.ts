import { configureGlobal, readConfigureGlobal } from 'fast-check'

// Loaded before each test file on the build machine: there every run asks the same, so that its answer tells of the change and
// not of the dice. Anywhere else each run asks something new.
configureGlobal({ ...readConfigureGlobal(), seed: 20_261_121 })
