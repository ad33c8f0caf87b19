/** Only what is used: importing the whole package at run time would bundle all of it. */
export { LineCounter, parse, parseAllDocuments, stringify } from 'yaml'
