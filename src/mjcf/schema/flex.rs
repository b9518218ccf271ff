//! `flex`, and `flexcomp`, which generates one with its bodies.

use super::body::Orientation;
use super::words::*;
use crate::types::FlexSelf;

elements! {
    /// `<flex>`: a soft body, elements that stretch between points of other bodies.
    Flex {
        name: name, "Name.";
        dim: int = 2, "1: lines, 2: triangles, 3: tetrahedra.";
        radius: real = 0.005, "Radius around the elements (m).";
        body: text (required), "Bodies of the vertices; one alone is that of all.";
        vertex: real[..], "Vertices in the frames of their bodies (m); none: where the bodies are.";
        element: int[..] (required), "Vertices of the elements, dim + 1 of each.";
        texcoord: real[..], "Texture coordinates, two of a vertex.";
        elemtexcoord: int[..], "Texture coordinates of the vertices of the elements.";
        flatskin: bool = false, "Drawn with edges that are sharp.";
        material: text, "Material, or one of each element.";
        rgba: real[4] = [0.5, 0.5, 0.5, 1.0], "Colour.";
        group: int = 0, "Group for drawing.";
        node: text, "Bodies of the nodes that vertices are interpolated between.";
        nodecoord: real[..], "Nodes in the frames of their bodies (m).";
        cellcount: int[3] = [1, 1, 1], "Cells of the grid of nodes along its axes.";
        dof: key<FlexDof>, "Order of interpolation.";
        <edge>: FlexEdge, "What the edges are made of.";
        <elasticity>: FlexElasticity, "What the material is made of.";
        <contact>: FlexContact, "How it touches.";
    }

    /// `<edge>` of a flex: springs and dampers along all of its edges.
    FlexEdge {
        stiffness: real = 0.0, "Stiffness of all edges, of lines only (N/m).";
        damping: real = 0.0, "Damping of all edges (N s/m).";
    }

    /// `<elasticity>` of a flex: an elastic continuum.
    FlexElasticity {
        young: real = 0.0, "Young's modulus (Pa).";
        poisson: real = 0.0, "Poisson's ratio.";
        shear: real = 0.0, "Shear modulus of rods (Pa); 0: that of an isotropic material.";
        damping: real = 0.0, "Rayleigh's damping (s).";
        thickness: real = -1.0, "Thickness of shells (m).";
        yield_: real[..], "Strain beyond which it yields, stretched and bent; one number: both of a shell, else stretched.";
        elastic2d: key<Elastic2d> = Elastic2d::None, "What of a shell is elastic.";
        section: key<FlexSection> = FlexSection::Circle, "Section of a rod.";
        sectionsize: real[2] = [0.0, 0.0], "Half sizes of a section that is a box (m).";
    }

    /// `<contact>` of a flex.
    FlexContact {
        contype: int = 1, "Bits of the contact type.";
        conaffinity: int = 1, "Bits of the contact affinity.";
        condim: int = 3, "Dimensions of contacts: 1, 3, 4 or 6.";
        priority: int = 0, "The one of higher priority sets the contact's parameters.";
        friction: real[1..3] = [1.0, 0.005, 0.0001], "Sliding, torsional (m) and rolling (m) friction.";
        solmix: real = 1.0, "Weight when solver parameters are mixed.";
        solref: real[1..2] = [0.02, 1.0], "Solver reference of contacts.";
        solimp: real[1..5] = [0.9, 0.95, 0.001, 0.5, 2.0], "Solver impedance of contacts.";
        margin: real = 0.0, "Distance below which contacts exist (m).";
        gap: real = 0.0, "Part of the margin in which contacts are not active (m).";
        selfcollide: key<FlexSelf> = FlexSelf::Auto, "How elements that may touch each other are found.";
        activelayers: int = 1, "Layers of tetrahedra that touch, from the outside.";
        passive: bool = false, "Contacts are forces of their own, not constraints.";
    }

    /// `<flexcomp>`: a soft body with a body for each of its points.
    Flexcomp {
        name: name (required), "Name of the flex; those of its bodies begin with it.";
        type_: key<FlexcompType>, "Where points and elements come from; a grid, or a mesh if one is named.";
        group: int, "Group for drawing.";
        dim: int, "1: lines, 2: triangles, 3: tetrahedra.";
        count: int[3] = [10, 10, 10], "Points along the axes.";
        spacing: real[3] = [0.02, 0.02, 0.02], "Distance of points along the axes (m).";
        radius: real, "Radius around the elements (m).";
        rigid: bool = false, "All points belong to the body around it.";
        mass: real = 1.0, "Mass of all points (kg).";
        inertiabox: real = 0.005, "Side of the box that has the inertia of a point (m).";
        scale: real[3] = [1.0, 1.0, 1.0], "Scale of points that were given.";
        file: file, "File of a mesh.";
        mesh: text, "Mesh in the model.";
        point: real[..], "Points (m).";
        element: int[..], "Points of the elements, dim + 1 of each.";
        texcoord: real[..], "Texture coordinates, two of a point.";
        material: text, "Material, or one of each element.";
        rgba: real[4], "Colour.";
        flatskin: bool, "Drawn with edges that are sharp.";
        pos: real[3] = [0.0, 0.0, 0.0], "Position in the body (m).";
        origin_: real[3] = [0.0, 0.0, 0.0], "Point that tetrahedra share that are made of triangles (m).";
        dof: key<FlexDof> = FlexDof::Full, "How points may move.";
        cellcount: int[3] = [1, 1, 1], "Cells of the grid of nodes along its axes.";
        .. orientation: Orientation, "Orientation in the body.";
        <edge>: FlexcompEdge, "What the edges are made of.";
        <elasticity>: FlexElasticity, "What the material is made of.";
        <contact>: FlexContact, "How it touches.";
    } with {
        /// Points that do not move.
        pins: Vec<FlexPin>,
    }

    /// `<edge>` of a flexcomp.
    FlexcompEdge {
        equality: key<EdgeEquality> = EdgeEquality::False, "What is held by constraints.";
        solref: real[1..2], "Solver reference of the constraints.";
        solimp: real[1..5], "Solver impedance of the constraints.";
        stiffness: real, "Stiffness of all edges, of lines only (N/m).";
        damping: real, "Damping of all edges (N s/m).";
    }

    /// `<pin>`: points that belong to the body around the flexcomp.
    FlexPin {
        id: int[..], "Points.";
        range: int[..], "First and last of points that follow each other.";
        grid: int[..], "Points by their place in the grid, dim numbers of each.";
        gridrange: int[..], "Boxes of points in the grid, lowest and highest corner of each.";
    }
}
