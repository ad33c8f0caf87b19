/** Only what is used: importing the whole package at run time would bundle all of it. */
export { parse, stringify } from 'yaml'
