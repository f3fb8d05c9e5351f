// The YAML parser for those who load it late: a package in the old form of modules has no names when it is bundled and loaded by itself.
export { Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
