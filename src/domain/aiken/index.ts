export { readAiken } from './read-aiken.js'
