; What is asked of every file of JavaScript and TypeScript
(call_expression function: [
  (identifier) @callee
  (member_expression object: (_) @of
    property: [(property_identifier) (private_property_identifier)] @callee)
]) @call
(call_expression function: (call_expression function: (member_expression
  object: (_) @of property: (property_identifier) @callee))
  (#match? @callee "^(each|for|skipIf|runIf)$")) @call
(call_expression
  function: (call_expression function: (identifier) @require arguments: (arguments . (string) @of))
  arguments: (arguments . (identifier) @given)
  (#eq? @require "require")) @handed
(call_expression function: (subscript_expression object: (_) @router index: (_) @verb)) @chosen
(new_expression constructor: (_) @callee) @new
(call_expression function: (import)) @dynamic
(class_declaration name: (_) @name body: (_) @body) @class
(assignment_expression right: (class name: (_) @name body: (_) @body) @class)
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(class_body (method_definition name: (_) @name body: (_) @body) @method)
(program (lexical_declaration (variable_declarator name: (identifier) @name) @top))
(program (variable_declaration (variable_declarator name: (identifier) @name) @top))
(program (export_statement
  declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @top)))
(program (export_statement
  declaration: (variable_declaration (variable_declarator name: (identifier) @name) @top)))
(variable_declarator name: (_) @variable
  value: [(call_expression) (new_expression) (await_expression) (member_expression)] @made)
(variable_declarator name: (object_pattern) @taken
  value: [(identifier) (this) (member_expression) (call_expression)] @from)
(assignment_expression left: [(identifier) (member_expression)] @variable
  right: [(call_expression) (new_expression)] @made)
(program (expression_statement (assignment_expression
  left: (member_expression) @target right: (_) @value) @assigned))
(import_statement) @import
(export_statement) @export
(decorator (_) @decorator)
(member_expression object: (_) @env property: (property_identifier) @key
  (#match? @env "^(process|import.meta|Bun|Deno).env$"))
(subscript_expression object: (_) @env index: [(string) (template_string)] @key
  (#match? @env "^(process|import.meta|Bun|Deno).env$"))
(comment) @comment
